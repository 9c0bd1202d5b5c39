"""The protocol: requests, the socket, the application and its process."""
