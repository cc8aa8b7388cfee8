set(PROJECT_NAME StandIn)
