#include "engine/formats/checkpoint/transposed_experts.h"

#include "engine/formats/checkpoint/transposed_rows.h"
#include "engine/formats/tensor_directory.h"
#include "engine/tensor/joined_rows.h"

namespace ingle::formats {

Status placeTransposed(Translation& translation, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(tensor::Tensor made, transposed(stored));
    made.name = place.name;
    return addTensor(translation.model, std::move(made));
}

Status splitTransposedGateUp(Translation& translation, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(tensor::Tensor made, transposed(stored));
    const auto both = std::make_shared<const tensor::Tensor>(std::move(made));
    const tensor::Shape& shape = both->shape;
    const uint64_t rows = shape.dims[1] / 2;
    if (rows == 0 || shape.dims[1] % 2 != 0)
        return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} has not as many rows of gate as of up",
                    shown(stored.name), shape.text());
    for (const std::string_view part : {"gate", "up"}) {
        std::vector<tensor::RowRange> ranges;
        for (uint64_t expert = 0; expert < shape.dims[2]; ++expert)
            ranges.push_back({both, (2 * expert + (part == "up" ? 1 : 0)) * rows, rows});
        INGLE_TRY_ASSIGN(tensor::Tensor half, tensor::joinRows(std::move(ranges)));
        half.name = place.name;
        half.name.replace(half.name.find('*'), 1, part);
        half.shape = tensor::Shape::of(shape.dims[0], rows, shape.dims[2]);
        INGLE_TRY(addTensor(translation.model, std::move(half)));
    }
    return {};
}

}  // namespace ingle::formats
