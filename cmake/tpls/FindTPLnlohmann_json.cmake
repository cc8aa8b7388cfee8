# For TriBITS: nlohmann_json, by its own CMake files.
find_package(nlohmann_json REQUIRED)
tribits_extpkg_create_imported_all_libs_target_and_config_file(nlohmann_json INNER_FIND_PACKAGE_NAME nlohmann_json
                                                               IMPORTED_TARGETS_FOR_ALL_LIBS nlohmann_json::nlohmann_json)
