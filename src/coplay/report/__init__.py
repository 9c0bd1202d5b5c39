"""What a person sees: tables and pictures made from results."""
