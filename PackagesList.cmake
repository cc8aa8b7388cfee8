# For TriBITS, where this folder is an extra repository of Trilinos: docs/adopt.md, "Inside Trilinos".
tribits_repository_define_packages(TriDAP . ST)
