./dev example python/01_terrain
PYTHONPATH=build/release/adapters/python mpiexec -n 2 /usr/bin/python3 docs/start/start.py
