"""A community: many players of one set of conventions who differ in how far they learned, in habits and in slips."""
