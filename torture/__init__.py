"""What a hostile tester does to Plumbline, over and over: `make torture`."""
