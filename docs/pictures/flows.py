"""The pictures of how data flows. Each function returns a Paper."""

from paper import Paper


def flow():
    p = Paper(860, 300, "From your array to a solver, in one memory")
    p.box(20, 30, 150, 74, "theirs", "your array", "C++, NumPy, PETSc,", "Global Arrays, ...")
    p.box(245, 30, 150, 74, "ours", "DistArray", "version, buffer,", "dim_data")
    p.box(470, 30, 150, 74, "ours", "Distribution", "which process", "owns which element")
    p.box(690, 30, 150, 74, "theirs", "vector or view", "Tpetra, PETSc, GA,", "Kokkos, DLPack")
    p.arrow([(170, 67), (245, 67)], "export")
    p.arrow([(395, 67), (470, 67)], "check")
    p.arrow([(620, 67), (690, 67)], "import")
    p.text(432, 92, "collective", "middle small muted")
    p.box(690, 150, 150, 40, "theirs", "solver")
    p.arrow([(765, 104), (765, 150)])
    p.box(20, 230, 820, 46, "memory", "one memory on each process: 0 bytes of the elements are copied")
    p.path([(95, 104), (95, 230)], "dashed")
    p.path([(320, 104), (320, 230)], "dashed")
    p.path([(765, 190), (765, 230)], "dashed")
    p.text(103, 170, "owns it", "small muted")
    p.text(328, 170, "refers to it, and keeps it alive", "small muted")
    p.text(757, 214, "reads and writes it", "small muted end")
    return p


def export_in_place():
    p = Paper(860, 330, "Export: a foreign object becomes a DistArray over its own memory")
    p.text(20, 30, "Export, in place: a foreign object becomes a DistArray", "heading")
    p.box(20, 60, 200, 90, "theirs", "foreign object", "Tpetra vector, Vec of PETSc,", "Global Array, DLPack tensor")
    p.box(310, 50, 290, 110, "ours", "DistArray", "`buffer: data, type, shape, strides",
          "`dim_data: one dictionary for each axis", "`buffer.owner: keeps it alive")
    p.box(690, 60, 150, 90, "theirs", "the caller", "another library,", "C by dap.h, Python")
    p.arrow([(220, 105), (310, 105)], "export_array")
    p.arrow([(600, 105), (690, 105)], "a plain value")
    p.box(330, 195, 250, 44, "box", "Receipt", "shared, 0 bytes copied, what is lost")
    p.arrow([(455, 160), (455, 195)])
    p.box(20, 270, 820, 40, "memory", "the memory of the foreign object")
    p.path([(120, 150), (120, 270)], "dashed")
    p.text(128, 222, "allocated by it", "small muted")
    p.arrow([(345, 160), (345, 172), (300, 172), (300, 270)], kind="dashed")
    p.text(292, 222, "data", "small muted end")
    p.arrow([(765, 150), (765, 270)], kind="dashed")
    p.text(757, 222, "reads and writes", "small muted end")
    return p


def import_in_place():
    p = Paper(860, 400, "Import and solve: a foreign object over the memory of a DistArray")
    p.text(20, 30, "Import and solve, in place: a foreign object over the array's memory", "heading")
    p.box(20, 60, 150, 70, "ours", "DistArray", "of each process")
    p.box(235, 60, 160, 70, "ours", "check", "on this process:", "a Report of faults")
    p.box(460, 60, 160, 70, "ours", "agree", "one reduction over", "all processes")
    p.box(690, 60, 150, 70, "box", "one Error", "the same on", "every process")
    p.arrow([(170, 95), (235, 95)])
    p.arrow([(395, 95), (460, 95)])
    p.arrow([(620, 95), (690, 95)], "a fault")
    p.box(460, 180, 160, 70, "ours", "ArrayMap", "ids of the elements,", "in memory order")
    p.arrow([(540, 130), (540, 180)], "no fault", (572, 160))
    p.box(235, 180, 160, 70, "theirs", "Tpetra vector", "Vec of PETSc,", "matrix of ScaLAPACK")
    p.arrow([(460, 215), (395, 215)])
    p.box(20, 180, 150, 70, "theirs", "solver", "Belos, MueLu, KSP,", "ScaLAPACK")
    p.arrow([(235, 215), (170, 215)])
    p.box(20, 320, 820, 46, "memory", "the memory of the array: the solver's result is there without another step")
    p.path([(315, 250), (315, 320)], "dashed")
    p.text(323, 290, "the vector keeps the array's owner", "small muted")
    p.arrow([(95, 250), (95, 320)], kind="dashed")
    p.text(103, 290, "reads b, writes x", "small muted")
    return p


def move():
    p = Paper(860, 470, "Move: from one distribution to another")
    p.text(20, 30, "Move: the elements go to another distribution", "heading")
    p.box(20, 60, 170, 60, "ours", "source", "a Distribution")
    p.box(20, 140, 170, 60, "ours", "target", "a Distribution")
    p.box(290, 92, 190, 76, "ours", "Plan", "runs of indices for each pair", "of processes; no message")
    p.arrow([(190, 90), (240, 90), (240, 118), (290, 118)])
    p.arrow([(190, 170), (240, 170), (240, 142), (290, 142)])
    p.box(590, 92, 250, 76, "ours", "agree", "one reduction: may all processes", "move, and in which way?")
    p.arrow([(480, 130), (590, 130)], "plan(array)")
    p.box(20, 246, 160, 202, "memory", "source memory", "of each process,", "read once")
    p.box(680, 246, 160, 202, "memory", "target memory", "of each process")
    p.arrow([(760, 168), (760, 210), (430, 210), (430, 238)])
    rows = [(246, "written or read directly", "on one node, if a side is in shared memory"),
            (298, "rings in shared memory", "on one node, any memory"),
            (350, "messages of derived types", "on one node without shared memory"),
            (402, "messages in slots", "between nodes")]
    for y, title, line in rows:
        p.box(270, y, 320, 46, "box", title, line)
        p.arrow([(180, y + 23), (270, y + 23)])
        p.arrow([(590, y + 23), (680, y + 23)])
    return p


def move_on_devices():
    p = Paper(860, 420, "Move between devices: each process reads its elements with one kernel")
    p.text(20, 30, "Move between devices of one node, and through slots", "heading")
    p.box(20, 56, 820, 40, "ours", "agree: one reduction; if a source is new, its handle goes to the board of its process")
    p.box(20, 130, 150, 70, "memory", "source of process 0", "on its device")
    p.box(20, 220, 150, 70, "memory", "source of process 1", "on its device")
    p.box(355, 130, 150, 70, "ours", "one kernel", "of process 0: it reads", "all sources")
    p.box(355, 220, 150, 70, "ours", "one kernel", "of process 1: it reads", "all sources")
    p.box(690, 130, 150, 70, "memory", "target of process 0", "on its device")
    p.box(690, 220, 150, 70, "memory", "target of process 1", "on its device")
    p.arrow([(170, 155), (355, 155)])
    p.arrow([(170, 175), (300, 175), (300, 240), (355, 240)])
    p.arrow([(170, 245), (250, 245), (250, 185), (355, 185)])
    p.arrow([(170, 270), (355, 270)])
    p.text(262, 148, "own address", "middle small muted")
    p.text(262, 286, "own address", "middle small muted")
    p.text(243, 215, "through a handle", "small muted end")
    p.arrow([(505, 165), (690, 165)])
    p.arrow([(505, 255), (690, 255)])
    p.text(597, 215, "both wait for all kernels", "middle small muted")
    p.box(20, 340, 150, 56, "memory", "source", "without a handle")
    p.box(220, 340, 110, 56, "ours", "kernel", "packs")
    p.box(380, 340, 110, 56, "box", "slot", "pinned")
    p.box(540, 340, 110, 56, "ours", "kernel", "unpacks")
    p.box(690, 340, 150, 56, "memory", "target", "or another node")
    for begin, end in ((170, 220), (330, 380), (490, 540), (650, 690)):
        p.arrow([(begin, 368), (end, 368)])
    return p


ALL = {"path_device": move_on_devices, "flow": flow, "path_export": export_in_place, "path_import": import_in_place, "path_move": move}
