/// The models that are served, by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/library/library.h"
#include "ingle/result.h"

namespace ingle::serve {

struct ServedModel {
    std::string name;  ///< what requests call it
    std::string path;
    library::ModelPurpose purpose = library::ModelPurpose::Chats;
    int64_t modifiedSeconds = 0;  ///< of its file, since 1970
    bool isInLibrary = true;      ///< else its purpose is not known yet
};

/// Immutable: any thread.
class Models {
  public:
    explicit Models(std::vector<ServedModel> models) : m_models(std::move(models)) {}

    /// `names`: of models in the library of `dataDir`, or paths, which are called by their files' names;
    /// none: the whole library. Errors: Io; InvalidArgument, when one is neither, or two have the same name.
    static Result<Models> choose(const std::vector<std::string>& names, const std::string& dataDir);

    const std::vector<ServedModel>& all() const { return m_models; }
    /// Null: there is none of that name.
    const ServedModel* find(std::string_view name) const;

  private:
    std::vector<ServedModel> m_models;
};

}  // namespace ingle::serve
