"""What a person sees: tables and pictures made from results.

| others use | for |
|---|---|
| `pages` | a file per measure: `write_…(result)` makes its page, `print_…` its table in the terminal |
| `replay` | a game to step through |
| `charts`, `html`, `style` | pictures and pieces of a page, for other pages too |

`sections` holds the parts that pages share.
"""
