/// How far a command is, on standard error.
#pragma once

#include <chrono>
#include <string>

namespace ingle::cli {

/// Whole per cent and, once it can be told, the time left: on one line of a terminal; every tenth as a line
/// of its own in a log.
class ProgressLine {
  public:
    ProgressLine();
    void show(double fraction, const char* phase);
    /// So that the next line begins on its own.
    void end() const;

  private:
    /// ", 3 min left"; empty while nobody can know.
    std::string left(double fraction) const;

    /// When it was first asked to show something, and what: a model may have been loaded before.
    std::chrono::steady_clock::time_point m_begin;
    double m_first = -1;
    bool m_isTerminal;
    int m_shown = -1;
};

}  // namespace ingle::cli
