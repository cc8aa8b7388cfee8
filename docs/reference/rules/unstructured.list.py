import numpy as np
import tridap

listed = {"dist_type": "u", "size": 3, "proc_grid_size": 1, "proc_grid_rank": 0, "indices": [0, 2, 1]}
print(tridap.check({"__version__": "0.10.0", "buffer": np.zeros(3), "dim_data": [listed]}))
