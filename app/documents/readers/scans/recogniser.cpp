#include "app/documents/readers/scans/recogniser.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace ingle::documents {
namespace {

constexpr const char* kLibrary = "libtesseract.so.5";
constexpr const char* kFolders[] = {"/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tessdata",
                                    "/usr/local/share/tessdata"};
constexpr size_t kMostLanguages = 4;

/// The part of Tesseract's C interface (tesseract/capi.h) that is used here.
struct Tesseract {
    void* (*create)() = nullptr;
    int (*init)(void*, const char* folder, const char* languages) = nullptr;
    void (*setImage)(void*, const unsigned char*, int width, int height, int bytesADot,
                     int bytesALine) = nullptr;
    void (*setResolution)(void*, int dotsPerInch) = nullptr;
    char* (*text)(void*) = nullptr;
    void (*deleteText)(const char*) = nullptr;
    void* engine = nullptr;  ///< null: there is none

    bool load() {
        void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
        const auto find = [library]<class Function>(Function*& function, const char* name) {
            function = reinterpret_cast<Function*>(::dlsym(library, name));
            return function != nullptr;
        };
        return library != nullptr && find(create, "TessBaseAPICreate") && find(init, "TessBaseAPIInit3") &&
               find(setImage, "TessBaseAPISetImage") &&
               find(setResolution, "TessBaseAPISetSourceResolution") &&
               find(text, "TessBaseAPIGetUTF8Text") && find(deleteText, "TessDeleteText");
    }
};
Tesseract s_tesseract;

/// "eng+deu"; empty: none is installed there.
std::string languagesIn(const std::filesystem::path& folder) {
    std::vector<std::string> found;
    std::error_code unknown;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unknown)) {
        const std::string name = entry.path().stem().string();
        // Those two tell scripts and formulas apart, and are no languages.
        if (entry.path().extension() == ".traineddata" && name != "osd" && name != "equ")
            found.push_back(name);
    }
    std::ranges::sort(found, {}, [](const std::string& name) { return std::pair(name != "eng", name); });
    found.resize(std::min(found.size(), kMostLanguages));
    std::string all;
    for (const std::string& name : found) all += (all.empty() ? "" : "+") + name;
    return all;
}

}  // namespace

void prepareRecognition() {
    // Threads cannot be made later; the library asks for this when it is opened.
    ::setenv("OMP_THREAD_LIMIT", "1", 1);
    if (!s_tesseract.load()) return;
    for (const char* folder : kFolders) {
        const std::string languages = languagesIn(folder);
        if (languages.empty()) continue;
        void* engine = s_tesseract.create();
        if (engine != nullptr && s_tesseract.init(engine, folder, languages.c_str()) == 0)
            s_tesseract.engine = engine;
        return;
    }
}

bool canRecognise() {
    return s_tesseract.engine != nullptr;
}

std::string recognisedText(const GreyPicture& picture, int dotsPerInch) {
    if (!canRecognise() || picture.dots.size() != size_t{picture.width} * picture.height ||
        picture.dots.empty())
        return {};
    const int width = static_cast<int>(picture.width);
    s_tesseract.setImage(s_tesseract.engine, picture.dots.data(), width, static_cast<int>(picture.height), 1,
                         width);
    s_tesseract.setResolution(s_tesseract.engine, dotsPerInch);
    const std::unique_ptr<char, void (*)(char*)> text(s_tesseract.text(s_tesseract.engine),
                                                      [](char* found) { s_tesseract.deleteText(found); });
    return text ? std::string(text.get()) : std::string();
}

}  // namespace ingle::documents
