from coplay.cli import main

main()
