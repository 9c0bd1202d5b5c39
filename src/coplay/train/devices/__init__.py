"""Where one run learns: on the devices of one machine or of several hosts. A run on one device needs none of this."""
