./dev tridap --version
cc docs/start/start.c -I packages/protocol/include build/release/packages/protocol/libtridap_protocol.a -lstdc++ -lm -o build/start_c
build/start_c
