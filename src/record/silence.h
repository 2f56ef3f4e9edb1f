// What a program, other than a library, may settle about HDF5.
#pragma once

namespace grapple::record {

/// Before anything else of this module: HDF5 prints nothing and does not tidy up at exit. Every
/// file is closed by then; one that could not be (a full disk) would only make HDF5 complain, or
/// crash.
void silence_hdf5();

}  // namespace grapple::record
