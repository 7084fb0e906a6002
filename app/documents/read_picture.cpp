#include "app/documents/read_picture.h"

#include "app/documents/child_process.h"
#include "app/documents/opened_file.h"
#include "app/documents/picture_answer.h"
#include "app/documents/picture_refusals.h"
#include "app/documents/refusals.h"

namespace ingle::documents {

Result<Picture> readPicture(const std::string& path, const ReadOptions& options) {
    INGLE_TRY_ASSIGN(const OpenedFile file, openFile(path));
    if (file.isFolder) return refuse(PictureRefusal::Unknown);
    if (file.bytes > limits::kPictureBytes) return refuse(PictureRefusal::TooLarge);
    const std::string program = options.program.empty() ? findReader() : options.program;
    if (program.empty()) return refuse(Refusal::ReaderMissing);
    INGLE_TRY_ASSIGN(const std::string answer,
                     runReader(program, file.descriptor.get(), {"", std::string(kPictureTask)}, options,
                               limits::kPictureAnswerBytes));
    return decodePicture(answer);
}

}  // namespace ingle::documents
