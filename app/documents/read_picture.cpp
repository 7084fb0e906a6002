#include "app/documents/read_picture.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "app/documents/child_process.h"
#include "app/documents/opened_file.h"
#include "app/documents/picture_answer.h"
#include "app/documents/picture_refusals.h"
#include "app/documents/refusals.h"

namespace ingle::documents {
namespace {

Result<Picture> readFrom(int file, const ReadOptions& options,
                         Transparency transparency = Transparency::Dropped) {
    const std::string program = options.program.empty() ? findReader() : options.program;
    if (program.empty()) return refuse(Refusal::ReaderMissing);
    const auto task = transparency == Transparency::OnWhite ? kPictureOnWhiteTask : kPictureTask;
    INGLE_TRY_ASSIGN(const std::string answer,
                     runReader(program, file, {"", std::string(task)}, options, limits::kPictureAnswerBytes));
    return decodePicture(answer);
}

/// Writes until nobody reads any more, which this thread is not to die of.
void feed(FileDescriptor pipe, std::string_view bytes) {
    sigset_t brokenPipe;
    sigemptyset(&brokenPipe);
    sigaddset(&brokenPipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &brokenPipe, nullptr);
    while (!bytes.empty()) {
        const ssize_t count = ::write(pipe.get(), bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) return;
        if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
    }
}

}  // namespace

Result<Picture> readPicture(const std::string& path, const ReadOptions& options) {
    INGLE_TRY_ASSIGN(const OpenedFile file, openFile(path));
    if (file.isFolder) return refuse(PictureRefusal::Unknown);
    if (file.bytes > limits::kPictureBytes) return refuse(PictureRefusal::TooLarge);
    return readFrom(file.descriptor.get(), options);
}

Result<Picture> readPictureBytes(std::string_view bytes, const ReadOptions& options,
                                 Transparency transparency) {
    if (bytes.size() > limits::kPictureBytes) return refuse(PictureRefusal::TooLarge);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return refuse(PictureRefusal::ReaderFailed);
    FileDescriptor read(ends[0]);
    std::jthread feeder(feed, FileDescriptor(ends[1]), bytes);
    auto picture = readFrom(read.get(), options, transparency);
    read = {};  // whoever still writes ends
    feeder.join();
    return picture;
}

}  // namespace ingle::documents
