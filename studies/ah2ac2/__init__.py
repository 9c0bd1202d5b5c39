"""Table 4 of the AH2AC2 paper with our community and our proxies: who learned from what, three seeds each."""
