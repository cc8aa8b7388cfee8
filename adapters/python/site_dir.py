"""Prints where Python finds packages beneath an install prefix: a folder it looks in, else the usual one."""

import os
import site
import sys

prefix = os.path.realpath(sys.argv[1])
looked_in = [os.path.realpath(place) for place in [*sys.path, site.getusersitepackages()] if place]
usual = os.path.join(prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
beneath = [place for place in looked_in if place.startswith(os.path.join(prefix, "lib"))
           and os.path.basename(place) in ("site-packages", "dist-packages")]
print(usual if usual in beneath or not beneath else beneath[0])
