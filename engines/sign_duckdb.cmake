# Copies a shared library and appends the 534 bytes by which DuckDB knows its C extensions: fields of 32 bytes, the last
# one first, and an empty signature.
#   LIBRARY OUT VERSION PLATFORM PYTHON
execute_process(COMMAND ${PYTHON} -c "
import sys
library, out, version, platform = sys.argv[1:]
fields = ['', '', '', 'C_STRUCT', version, 'v1.2.0', platform, '4']
footer = b'\\0\\x93\\x04\\x10duckdb_signature\\x80\\x04'
footer += b''.join(f.encode().ljust(32, b'\\0') for f in fields) + bytes(256)
open(out, 'wb').write(open(library, 'rb').read() + footer)
" ${LIBRARY} ${OUT} ${VERSION} ${PLATFORM} COMMAND_ERROR_IS_FATAL ANY)
