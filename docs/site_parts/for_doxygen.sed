# Declarations as Doxygen 1.9.4 reads them. It takes `local` before a blank for a keyword, and loses the second name of
# `Index begin = 0, end = 0;`, which becomes two declarations.
s/ local = / local=/
# The text at the beginning of a C header belongs to the file.
1s|^/// |/// @file\n/// |
t again
:again
s/^( *)([A-Za-z_][A-Za-z_0-9:<>]*) ([a-z_0-9]+)( ?= ?[^,;(){}]+)?, ([a-z_0-9]+( ?= ?[^,;(){}]+)?(, [^;(){}]+)?);(.*)$/\1\2 \3\4;\8\n\1\2 \5;\8/
t split
b
:split
P
D
