import tridap

x = tridap.zeros(tridap.distribution(5))
try:
    tridap.write_capture(x, "/no/such/folder/x.json")
except tridap.ProtocolError as error:  # the same on every process
    print(error)
