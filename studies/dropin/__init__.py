"""The experiments of the drop-in paper (MacAlpine and Stone 2017) in our football: does teamworkAGD see teamwork?"""
