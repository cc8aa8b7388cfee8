import tridap

whole = {"dist_type": "b", "size": 3, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": 3}
print(tridap.check({"__version__": "0.10.0", "buffer": 3.0, "dim_data": [whole]}))
