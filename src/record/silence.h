// What a program, other than a library, may settle about HDF5.
#pragma once

namespace grapple::record {

/// Before anything else of this module: HDF5 prints nothing and does not tidy up at exit. Every
/// file is closed by then; one that could not be (a full disk) would only make HDF5 complain, or
/// crash, and of files that cannot be read HDF5 1.10 itself loses pieces which it then misses
/// ("infinite loop closing library"). A library leaves both to its host, which may have files of
/// its own open.
void silence_hdf5();

}  // namespace grapple::record
