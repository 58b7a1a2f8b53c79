// Slices of a container's array by coordinates: a.nc:/t2m[lat=30:60,time=2000-06:2000-08].
//
//   axes    by the names of dimensions; a coordinate is the array that is called as its dimension
//   bounds  both belong to the slice, whether coordinates rise or fall; 30: and :60 have one bound
//   value   lat=30 is one index; the axis stays, with extent 1
//   values  [cos(lat)] are the cosines of coordinates in degrees, of a shape that broadcasts to the
//           array's; [year(time)], [month(time)], [day(time)] integers of one dimension
//   times   2000-06 stands for all of the month (onefold/io/time_axis.hpp)
#pragma once

#include <string>

#include "onefold/io/container.hpp"

namespace onefold::io {

// Cuts "[lat=30:60]" off the name of an array, and returns what stands within; empty: nothing does.
std::string take_slices(std::string& item);

// Returns the part of an array that the slices name, or values of its axes.
//   throws  bad_option: there is no such axis or coordinate; unsupported: coordinates do not rise
//           or fall, or have no numbers
DenseArray sliced(const File& file, const Container& container, const ItemPath& path,
                  const InputOptions& options, const std::string& slices, DenseArray array);

}  // namespace onefold::io
