# For TriBITS: CLI11, by its own CMake files.
find_package(CLI11 REQUIRED)
tribits_extpkg_create_imported_all_libs_target_and_config_file(CLI11 INNER_FIND_PACKAGE_NAME CLI11
                                                               IMPORTED_TARGETS_FOR_ALL_LIBS CLI11::CLI11)
