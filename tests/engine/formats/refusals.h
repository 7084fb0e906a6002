/// Folders that are no models: each is refused with one sentence.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/formats/model_file.h"
#include "tests/engine/formats/sample_folders.h"
#include "tests/opened.h"

namespace ingle::test {

inline Result<formats::ModelFile> openFolder(const FolderFiles& files, const TemporaryFolder& folder) {
    writeFolder(files, folder);
    return formats::openModelFile(opened(folder.path().string()));
}

/// A folder, and a part of the sentence that it is refused with.
using Refusals = std::vector<std::pair<FolderFiles, std::string>>;

inline void expectRefusals(const Refusals& refusals) {
    for (const auto& [files, sentence] : refusals) {
        const TemporaryFolder folder;
        const auto model = openFolder(files, folder);
        ASSERT_FALSE(model.has_value()) << sentence;
        EXPECT_THAT(model.error().message, testing::HasSubstr(sentence));
        EXPECT_THAT(model.error().message, testing::StartsWith(folder.path().string()));
    }
}

}  // namespace ingle::test
