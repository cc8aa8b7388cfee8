./dev tridap --version
export PATH="$PWD/build/release/packages/tool:$PATH"
