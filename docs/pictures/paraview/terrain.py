"""Draws docs/pictures/terrain_paraview.png by ParaView, from the file that terrain_file.py has saved.

    xvfb-run -a -w 15 pvpython docs/pictures/paraview/terrain.py FOLDER/terrain.xdmf PICTURE
"""

import sys

from paraview import simple

file, picture = sys.argv[1:]
terrain = simple.XDMFReader(registrationName="terrain", FileNames=[file])
relief = simple.Transform(Input=terrain)
relief.Transform.Scale = [1, 1, 5]  # heights five times
normals = simple.GenerateSurfaceNormals(Input=simple.ExtractSurface(Input=relief))

view = simple.CreateRenderView()
view.ViewSize = [1200, 640]
view.OrientationAxesVisibility = 0
view.UseColorPaletteForBackground = 0
view.Background = [1, 1, 1]
shown = simple.Show(normals, view)
simple.ColorBy(shown, ("POINTS", "height"))
colors = simple.GetColorTransferFunction("height")
colors.ApplyPreset("Linear Green (Gr4L)", True)
colors.RGBPoints = [250, 0.16, 0.33, 0.18, 450, 0.48, 0.58, 0.34, 650, 0.76, 0.68, 0.47, 950, 0.97, 0.96, 0.93]
shown.Specular = 0.1
bar = simple.GetScalarBar(colors, view)
bar.Title, bar.ComponentTitle = "height, m", ""
bar.TitleFontSize = bar.LabelFontSize = 14
bar.TitleColor = bar.LabelColor = [0.1, 0.1, 0.1]
bar.WindowLocation, bar.ScalarBarLength = "Upper Right Corner", 0.4
bar.RangeLabelFormat = bar.LabelFormat = "%.0f"

simple.Render(view)  # the first time, ParaView sets the camera itself
low, high = zip(*zip(*[iter(relief.GetDataInformation().GetBounds())] * 2))
middle = [(a + b) / 2 for a, b in zip(low, high)]
wide = high[0] - low[0]
view.CameraFocalPoint = [middle[0], middle[1] - 0.06 * wide, middle[2]]
view.CameraPosition = [middle[0] - 0.35 * wide, middle[1] - 1.15 * wide, middle[2] + 0.72 * wide]
view.CameraViewUp = [0, 0, 1]
view.CameraViewAngle = 45
simple.Render(view)
simple.SaveScreenshot(picture, view, ImageResolution=[1200, 640])
