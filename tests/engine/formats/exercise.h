/// What a damaged file is put through.
#pragma once

#include <string>
#include <vector>

#include "engine/formats/model_file.h"
#include "ingle/result.h"

namespace ingle::test {

/// Opens the file and decodes a row of each tensor.
inline Status exerciseFile(const std::string& path) {
    INGLE_TRY_ASSIGN(const auto model, formats::openModelFile(path));
    for (const auto& [name, tensor] : model.tensors) {
        std::vector<float> row(tensor.shape.rowElems());
        tensor.format->decodeRow(tensor.data.data(), row);
    }
    return {};
}

}  // namespace ingle::test
