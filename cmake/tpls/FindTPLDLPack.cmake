# For TriBITS: DLPack is one header. DLPack_INCLUDE_DIRS names its folder where compilers do not look.
tribits_tpl_find_include_dirs_and_libraries(DLPack REQUIRED_HEADERS dlpack/dlpack.h)
