"""Readers for networks that others have published. Their files are read, never shipped: licences differ."""
