"""What the door `/v1` costs on top of what it leads to."""
