/// The models that are served, by name.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
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

using ModelList = std::vector<ServedModel>;

/// `names`: of models in the library of `dataDir`, or paths, which are called by their files' names. Errors:
/// Io; InvalidArgument, when one is neither, or two have the same name.
Result<ModelList> namedModels(const std::vector<std::string>& names, const std::string& dataDir);

/// Any thread. What it gave out stays as it was.
class Models {
  public:
    /// These and no others.
    explicit Models(ModelList models) : m_list(std::make_shared<const ModelList>(std::move(models))) {}
    /// All of the library in `dataDir`, which is read again when it has changed. Errors: Io.
    static Result<std::unique_ptr<Models>> ofLibrary(const std::string& dataDir);

    std::shared_ptr<const ModelList> all();
    /// Null: there is none of that name.
    std::shared_ptr<const ServedModel> find(std::string_view name);

  private:
    /// Of the library's file, which is replaced by every change: inode, seconds and nanoseconds.
    using Version = std::tuple<uint64_t, int64_t, int64_t>;
    static Version versionOf(const std::string& dataDir);
    /// A library that cannot be read stays as it was known.
    void readAgain();
    std::shared_ptr<const ModelList> list();

    std::string m_dataDir;  ///< of the library; empty: there is none

    std::mutex m_mutex;  ///< guards everything below
    std::shared_ptr<const ModelList> m_list;
    Version m_version;  ///< of m_list
};

}  // namespace ingle::serve
