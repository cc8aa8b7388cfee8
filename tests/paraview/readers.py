"""Reads the files of cases.py by one of ParaView's two readers, and compares each value and its position.

    pvpython readers.py FOLDER XDMFReader|Xdmf3ReaderS
"""

import os
import sys

import numpy as np
from paraview import simple
from vtkmodules.util.numpy_support import vtk_to_numpy

FOLDER, KIND = sys.argv[1:]


def opened(path):
    if KIND == "XDMFReader":
        return simple.XDMFReader(registrationName="file", FileNames=[path])
    return simple.Xdmf3ReaderS(registrationName="file", FileName=[path])


def grids(data):
    """The grids of what a reader gives."""
    if not data.IsA("vtkCompositeDataSet"):
        return [data]
    found, each = [], data.NewIterator()
    each.InitTraversal()
    while not each.IsDoneWithTraversal():
        found.append(each.GetCurrentDataObject())
        each.GoToNextItem()
    return found


def positions(grid, center):
    """Of its points; or of the centers of its cells, the mean of whose points it is."""
    if center == "points":
        return np.array([grid.GetPoint(i) for i in range(grid.GetNumberOfPoints())])
    means = []
    for i in range(grid.GetNumberOfCells()):
        points = grid.GetCell(i).GetPoints()
        means.append(np.mean([points.GetPoint(k) for k in range(points.GetNumberOfPoints())], axis=0))
    return np.array(means)


def compare(case, grid, center, where, name, wanted):
    data = grid.GetPointData() if center == "points" else grid.GetCellData()
    array = data.GetArray(name)
    if array is None:
        return f"{case}: no array {name!r} of {center}: {[data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]}"
    found = vtk_to_numpy(array).reshape(array.GetNumberOfTuples(), -1)
    if KIND == "XDMFReader" and wanted.shape[1] == 2:  # a vector has three components
        wanted = np.column_stack([wanted, 0 * wanted[:, 0]])
    if found.shape != wanted.shape or not (found == wanted).all():
        return f"{case}: {name!r} has {found.tolist()}, must be {wanted.tolist()}"
    at = positions(grid, center)
    if at.shape != where.shape or not np.allclose(at, where, rtol=1e-6, atol=1e-6):
        return f"{case}: {name!r} is at {at.tolist()}, must be at {where.tolist()}"
    return None


def say(text):
    os.write(1, (text + "\n").encode())  # what pvpython's print() says is lost by os._exit()


def main():
    expected = np.load(os.path.join(FOLDER, "expected.npz"))
    cases = {}
    for key in expected.files:
        case, time, center, name = key.split("|")
        if name:
            cases.setdefault(case, []).append((time, center, name, expected[f"{case}|{time}|{center}|"], expected[key]))
    wrong = compared = 0
    for case, wanted in cases.items():
        reader = opened(os.path.join(FOLDER, case + ".xdmf"))
        reader.UpdatePipelineInformation()
        times = sorted(float(t) for t in {time for time, *_ in wanted} - {"", "second"})
        faults = []
        if times != list(reader.TimestepValues or []):
            faults.append(f"{case}: the times are {list(reader.TimestepValues)}, must be {times}")
        for time, center, name, where, values in wanted:
            reader.UpdatePipeline(*([float(time)] if time not in ("", "second") else []))
            having = [grid for grid in grids(reader.GetClientSideObject().GetOutputDataObject(0))
                      if (grid.GetPointData() if center == "points" else grid.GetCellData()).HasArray(name)]
            faults += [compare(f"{case} {time}", having[0], center, where, name, values) if having else f"{case}: no {name!r}"]
            compared += 1
        simple.Delete(reader)
        faults = [fault for fault in faults if fault]
        wrong += len(faults)
        for fault in faults:
            say(fault)
    say(f"{KIND}: {len(cases)} files, {compared} arrays compared, {wrong} wrong")
    os._exit(1 if wrong or compared == 0 else 0)  # without the end of ParaView, which may need a display


main()
