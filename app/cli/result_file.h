/// A file that a command writes numbers to.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "ingle/result.h"

namespace ingle::cli {

/// Opened before the command is confined: then no other file can be opened.
class ResultFile {
  public:
    /// Errors: Io.
    static Result<ResultFile> create(const std::string& path) {
        ResultFile made(path);
        if (!made.m_file) return fail(ErrorCode::Io, "{}: cannot be written", path);
        return made;
    }

    template <typename T>
    void write(std::span<const T> values) {
        m_isWritten = m_isWritten &&
                      std::fwrite(values.data(), sizeof(T), values.size(), m_file.get()) == values.size();
    }
    /// Errors: Io, when not all was written.
    Status finish() {
        if (m_isWritten && std::fflush(m_file.get()) == 0) return {};
        return fail(ErrorCode::Io, "{}: cannot be written", m_path);
    }

  private:
    struct Close {
        void operator()(std::FILE* file) const { (void)std::fclose(file); }  // finish() has told of errors
    };
    explicit ResultFile(const std::string& path) : m_path(path), m_file(std::fopen(path.c_str(), "wb")) {}

    std::string m_path;
    std::unique_ptr<std::FILE, Close> m_file;
    bool m_isWritten = true;
};

}  // namespace ingle::cli
