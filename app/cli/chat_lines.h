/// What a person types in `ingle chat`, and the pictures that lines name. They are read by a process beside
/// the engine: that one is caged before anybody knows which files will be wanted, and it is the person who
/// names them, not the engine.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "ingle/pictures.h"
#include "ingle/result.h"

namespace ingle::cli {

struct ChatLine {
    std::string text;                ///< what was typed; of a picture, its file
    std::optional<Picture> picture;  ///< "/image FILE" was typed
    std::optional<Error> problem;    ///< why there is no picture
};

/// One thread.
class ChatLines {
  public:
    /// Makes that process, which reads standard input from now on and ends with this one. Before there is a
    /// second thread and a cage. Errors: Io.
    static Result<ChatLines> start();

    /// The next line that is not empty; nothing: the person leaves, or a signal came.
    std::optional<ChatLine> next();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Close> m_input;
};

}  // namespace ingle::cli
