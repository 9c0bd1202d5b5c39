"""What a seat may know, brought to players outside the compiled loop: on this machine, or over a wire."""
