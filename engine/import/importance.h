/// How much each column of a matrix matters to what a model says: the mean square of what it is multiplied
/// with, over some text ("importance matrix").
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/tensor.h"
#include "ingle/result.h"

namespace ingle::importer {

/// What an importance matrix is made of.
struct ColumnSums {
    struct Matrix {
        std::vector<double> squares;   ///< [matrices, columns], of what the columns were multiplied with
        std::vector<uint64_t> counts;  ///< [matrices]: how often
    };
    std::map<std::string, Matrix, std::less<>> matrices;
    uint32_t windowTokens = 0;
    uint32_t numWindows = 0;
};

/// Writes them as GGUF of general.type "imatrix", which llama.cpp reads, too. `text`: what was read, for
/// people. Errors: Io.
Status writeImportance(const ColumnSums& sums, const std::string& text, const std::string& path);

class Importance {
  public:
    /// Reads llama.cpp's files: GGUF (general.type "imatrix") and the older binary ones. Sources:
    /// tools/imatrix/imatrix.cpp and common/imatrix-loader.cpp of llama.cpp (August 2026). Errors: Io,
    /// Corrupt, InvalidArgument (a file of another kind).
    static Result<Importance> read(const std::string& path);

    /// Whether anything is known of the tensor. Errors: InvalidArgument, when what is known is of another
    /// shape: then the file belongs to another model.
    Result<bool> knows(const tensor::Tensor& tensor) const;
    /// For one row of a tensor that it knows.
    std::span<const float> ofRow(const tensor::Tensor& tensor, uint64_t row) const;

    const std::map<std::string, std::vector<float>, std::less<>>& all() const { return m_values; }

  private:
    std::string m_path;
    std::map<std::string, std::vector<float>, std::less<>> m_values;  ///< [matrices, columns]
};

}  // namespace ingle::importer
