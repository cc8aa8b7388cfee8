if(StandIn_LISTS_TRIDAP)  # as a link below packages/, and a line here
  tribits_repository_define_packages(TriDAP packages/tridap ST)
else()
  tribits_repository_define_packages()
endif()
