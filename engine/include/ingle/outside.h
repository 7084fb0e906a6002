/// What a caged process has done by one that is not. Implemented in engine/io.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle {

/// A program that another process started and ends.
struct StartedOutside {
    FileDescriptor output;  ///< what it prints
    FileDescriptor end;  ///< gives its wait status, an int, once it has ended; to close it kills the program
};

struct Outside {
    /// Opens a file or folder to read it: a descriptor, or -1 with errno.
    std::function<int(const std::string& path)> open;
    /// Starts the program that tries graphics drivers (DriverTrials::command) with more arguments.
    std::function<Result<StartedOutside>(const std::vector<std::string>& moreArguments)> tryDrivers;
    /// What visionFilesBeside() returns.
    std::function<std::vector<std::string>(const std::string& model)> visionFiles;
};

/// From now on files that the kernel refuses this process, and trials of drivers, are left to `outside`. To
/// be called before there is a second thread.
void useOutside(Outside outside);
/// Null: this process has everything done itself.
const Outside* outside();

/// Opens a file or folder to read it, which a person named: itself, or where that is refused, outside. A
/// named pipe is not waited for. Returns a descriptor, or -1 with errno.
int openToRead(const std::string& path);

/// The paths of the files in a model's folder whose first bytes say that they are vision files ("mmproj"),
/// sorted; those that the kernel does not let this process list are looked for outside.
std::vector<std::string> visionFilesBeside(const std::string& model);

}  // namespace ingle
