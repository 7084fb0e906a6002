/// The pictures that prompts name: an interface, since they are kept where the states of conversations are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ingle/pictures.h"
#include "ingle/result.h"

namespace ingle::session {

/// A picture as prompts have it. Immutable.
struct KnownPicture {
    std::string hash;
    PictureLayout layout;
    /// Stands for what its rows hold: the vision file, its options, and the picture.
    uint64_t identity = 0;
};

/// Any thread.
class KnownPictures {
  public:
    virtual ~KnownPictures() = default;
    /// Errors: PictureNeeded; Cancelled, as StopScope says.
    virtual Result<std::shared_ptr<const KnownPicture>> find(const std::string& hash) = 0;
    /// Sees to it that rows() has something to return, which takes long the first time. They are kept on disk
    /// for `conversation`; "" keeps nothing. Errors: PictureNeeded; Cancelled, as StopScope says; those of
    /// the vision file.
    /// `progress` is told how much is done, 0 to 1.
    virtual Status encode(const KnownPicture& picture, const std::string& conversation,
                          const std::function<void(double)>& progress) = 0;
    /// [rows][rowWidth]. Errors: PictureNeeded.
    virtual Result<std::shared_ptr<const std::vector<float>>> rows(const KnownPicture& picture) = 0;
    /// Why they are not encoded on the device on which the model computes: a sentence, or empty.
    virtual std::string note() const { return {}; }
};

}  // namespace ingle::session
