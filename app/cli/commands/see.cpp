#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/model_options.h"
#include "app/cli/picture_options.h"
#include "app/cli/result_file.h"

namespace ingle::cli::see_command {
namespace {

using nlohmann::ordered_json;

struct Options {
    ModelOptions projector;
    PictureOptions pictures;
    std::string rows;
    std::string pixels;
};

ordered_json described(const std::string& path, const Picture& picture, const EncodedPicture& encoded) {
    ordered_json tiles = ordered_json::array();
    uint64_t tokens = 0;
    for (const PictureTile& tile : encoded.tiles) {
        tiles.push_back({{"before", tile.before},
                         {"width", tile.width},
                         {"height", tile.height},
                         {"grid", {tile.columns, tile.lines}},
                         {"tokens", tile.numRows}});
        tokens += tile.numRows;
    }
    return {{"image", path},    {"width", picture.width},    {"height", picture.height},
            {"tokens", tokens}, {"tiles", std::move(tiles)}, {"after", encoded.after}};
}

Status see(const Options& options) {
    INGLE_TRY_ASSIGN(const LoadOptions load, loadOptions(options.projector));
    INGLE_TRY_ASSIGN(ResultFile rows, ResultFile::create(options.rows));
    std::optional<ResultFile> pixels;
    if (!options.pixels.empty()) {
        INGLE_TRY_ASSIGN(pixels, ResultFile::create(options.pixels));
    }
    INGLE_TRY_ASSIGN(const std::vector<Picture> pictures, readPictures(options.pictures));
    INGLE_TRY(confineTo({options.projector.model}));
    INGLE_TRY_ASSIGN(const std::vector<EncodedPicture> encoded,
                     encodePictures(options.projector.model, load, options.pictures, pictures));
    ordered_json all = ordered_json::array();
    for (size_t i = 0; i < encoded.size(); ++i) {
        rows.write(std::span(encoded[i].rows));
        if (pixels) pixels->write(std::span(encoded[i].pixels));
        all.push_back(described(options.pictures.images[i], pictures[i], encoded[i]));
    }
    INGLE_TRY(rows.finish());
    if (pixels) INGLE_TRY(pixels->finish());
    const ordered_json answer{{"rowWidth", encoded.empty() ? 0 : encoded[0].rowWidth},
                              {"images", std::move(all)}};
    fmt::print("{}\n", answer.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("MMPROJ", options->projector.model, "vision file of a model (mmproj)")->required();
    addPictureOptions(app, options->pictures)->required();
    app.add_option("--rows", options->rows, "file for float32 [tokens, rowWidth] of all pictures")
        ->required();
    app.add_option("--pixels", options->pixels,
                   "file for the resized pixels of all pictures, [height][width][3] bytes");
    addBackend(app, options->projector.load);
    app.add_option("-t,--threads", options->projector.load.threads, "CPU threads (default: physical cores)")
        ->check(CLI::Range(1, 256));
    app.add_option("--set", options->projector.overrides, "override a metadata value: KEY=VALUE")
        ->allow_extra_args(false);
    return [options] { return see(*options); };
}

}  // namespace

extern const Command command{"see", "write what a model's vision file makes of pictures", define};

}  // namespace ingle::cli::see_command
