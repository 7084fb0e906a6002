#include "app/desktop/services/error_sentences.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include "app/desktop/services/size_text.h"
#include "app/desktop/services/text.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

/// The arguments of an error, of which there are as many as its id has.
class SentenceArguments {
  public:
    explicit SentenceArguments(const Error& error) : m_error(error) {}

    QString text(size_t index) const { return toQString(m_error.arguments[index]); }
    QString fileName(size_t index) const { return QFileInfo(text(index)).fileName(); }
    uint64_t count(size_t index) const { return text(index).toULongLong(); }
    QString size(size_t index) const { return sizeText(count(index)); }

  private:
    const Error& m_error;
};

class ErrorSentences {
    Q_DECLARE_TR_FUNCTIONS(ErrorSentences)
  public:
    static QString of(ErrorId id, const SentenceArguments& with);

  private:
    static QString hostDied(const QString& request);
    static QString companion(const QString& file, const QString& what);
    static QString otherPurpose(const QString& file, const QString& what);
};

QString ErrorSentences::hostDied(const QString& request) {
    if (request == "generate") return tr("The engine stopped three times while writing this answer.");
    if (request == "load") return tr("The engine stopped three times while loading this model.");
    if (request == "import") return tr("The engine stopped three times while making this model smaller.");
    if (request == "inspect" || request == "recognise")
        return tr("The engine stopped three times while looking at this file.");
    return tr("The engine stopped three times.");
}

QString ErrorSentences::companion(const QString& file, const QString& what) {
    if (what == "controlVector")
        return tr("%1 is a control vector: it steers a model and is none itself. Open the model's own file.")
            .arg(file);
    if (what == "imatrix")
        return tr("%1 is an importance matrix: it helps to make a model smaller and is none itself. Open the "
                  "model's own file.")
            .arg(file);
    if (what == "vocabulary") return tr("%1 holds a vocabulary only. Open the model's own file.").arg(file);
    return tr("%1 predicts words for another model and writes none by itself. Open that model's own file.")
        .arg(file);
}

QString ErrorSentences::otherPurpose(const QString& file, const QString& what) {
    if (what == "pictures")
        return tr("%1 makes pictures or films. Programs for these run it; here runs a model that writes.")
            .arg(file);
    if (what == "speech")
        return tr("%1 speaks or hears. Programs for sound run it; here runs a model that writes.").arg(file);
    if (what == "sees")
        return tr("%1 finds things in pictures and writes nothing. Here runs a model that writes.").arg(file);
    if (what == "diffusion")
        return tr("%1 writes all words at once, which Inglenook cannot do yet. A model that writes word by "
                  "word runs here.")
            .arg(file);
    if (what == "encodes")
        return tr("%1 is an encoder: it writes nothing, and Inglenook cannot run it yet. Here runs a model "
                  "that writes.")
            .arg(file);
    return tr("%1 has an encoder and a decoder, which Inglenook cannot run yet. A model that only has a "
              "decoder, "
              "such as Qwen or Gemma, runs here.")
        .arg(file);
}

QString ErrorSentences::of(ErrorId id, const SentenceArguments& with) {
    switch (id) {
        case ErrorId::FileMissing:
            return tr("%1 was not found. It may have been moved, or its disk is not connected.")
                .arg(with.fileName(0));
        case ErrorId::FileForbidden:
            return tr("%1 may not be read: its permissions forbid it.").arg(with.fileName(0));
        case ErrorId::FileUnreadable:
            return tr("%1 cannot be read.").arg(with.fileName(0));
        case ErrorId::FileEmpty:
            return tr("%1 is empty. Its download may not have begun.").arg(with.fileName(0));
        case ErrorId::NotAModel:
            return tr("%1 is not a model that Inglenook can open.").arg(with.fileName(0));
        case ErrorId::FilePointer:
            return tr("%1 only points to a model; the model itself was not downloaded.")
                .arg(with.fileName(0));
        case ErrorId::WebPage:
            return tr("%1 is a web page, not the model. Its page may ask to sign in first.")
                .arg(with.fileName(0));
        case ErrorId::Archive:
            return tr("%1 is an archive. Unpack it, and open what is in it.").arg(with.fileName(0));
        case ErrorId::OtherFormat:
            return tr("%1 is a model for other programs (%2). Get the same model as GGUF instead.")
                .arg(with.fileName(0), with.text(1));
        case ErrorId::Adapter:
            return tr("%1 is a LoRA adapter: it changes a model and is none itself. Get the whole model "
                      "instead.")
                .arg(with.fileName(0));
        case ErrorId::Projector:
            return tr("%1 is what lets a model see, not the model. Open the model's own file.")
                .arg(with.fileName(0));
        case ErrorId::Companion:
            return companion(with.fileName(0), with.text(1));
        case ErrorId::OtherPurpose:
            return otherPurpose(with.fileName(0), with.text(1));
        case ErrorId::FileOutside:
            return tr("%1 leads to a file outside its folder, so it is not opened.").arg(with.fileName(0));
        case ErrorId::SeveralModels:
            return tr("There are %n models in %1. Open one of them.", nullptr,
                      static_cast<int>(with.count(1)))
                .arg(with.fileName(0));
        case ErrorId::WeightsAlone:
            return tr("%1 holds the numbers of a model; the files that say which are not beside it. Get the "
                      "whole folder.")
                .arg(with.fileName(0));
        case ErrorId::PartsMissing:
            return tr("%1 of the %2 parts of this model are missing. Get the whole folder.")
                .arg(with.count(1))
                .arg(with.count(2));
        case ErrorId::DownloadUnfinished:
            return tr("%1 is still being downloaded, or its download was stopped. Open it once it is whole.")
                .arg(with.fileName(0));
        case ErrorId::DownloadIncomplete:
            return tr("The download is incomplete: %1.").arg(shareText(with.count(0), with.count(1)));
        case ErrorId::DownloadCutShort:
            return tr("The download is incomplete: the file ends after %1.").arg(with.size(0));
        case ErrorId::ModelDamaged:
            return tr("%1 is damaged. Downloading it again may help.").arg(with.fileName(0));
        case ErrorId::ModelUnsupported:
            return tr("%1 needs something that this version of Inglenook cannot do.").arg(with.fileName(0));
        case ErrorId::HoldsProgram:
            return tr(
                "This file holds a program beside its numbers. Inglenook never runs such a thing and does "
                "not open it.");
        case ErrorId::UnknownVersion:
            return tr("This is a %1 file of version %2, which this version of Inglenook does not know.")
                .arg(with.text(0), with.text(1));
        case ErrorId::UnknownFamily:
            return tr("Inglenook does not know models of the family “%1” yet.").arg(with.text(0));
        case ErrorId::UnknownBlockType:
            return tr("The numbers of this model are stored in a way that Inglenook does not know (%1).")
                .arg(with.text(0));
        case ErrorId::UnknownTokenizer:
            return tr("Inglenook does not know this model's tokenizer (%1).").arg(with.text(0));
        case ErrorId::NoTokenizer:
            return tr("This file has no tokenizer, so it cannot chat.");
        case ErrorId::OnlyEmbeds:
            return tr("This model compares texts and writes none, so it cannot chat.");
        case ErrorId::OnlyScores:
            return tr(
                "This model scores how well texts answer a question and writes none, so it cannot chat.");
        case ErrorId::TooLittleMemory:
            return tr("%1 needs %2 of memory; %3 are free.").arg(with.text(0), with.size(1), with.size(2));
        case ErrorId::TooLittleDeviceMemory:
            return tr("This model needs %2 of memory on %1; %3 are free there.")
                .arg(with.text(0), with.size(1), with.size(2));
        case ErrorId::MemoryFull:
            return tr("There is not enough memory.");
        case ErrorId::DeviceFailed:
            return tr("The graphics device failed.");
        case ErrorId::ModelFileChanged:
            return tr("The model's file was changed while it was in use.");
        case ErrorId::NoModel:
            return tr("No model is loaded.");
        case ErrorId::MessageTooLong:
            return tr("The message is too long for this model: it takes %1 tokens, and there is room for "
                      "%2.")
                .arg(QLocale().toString(static_cast<qulonglong>(with.count(0))),
                     QLocale().toString(static_cast<qulonglong>(with.count(1))));
        case ErrorId::ConversationFull:
            return tr("This conversation has outgrown the model's context: it takes %1 tokens, and there is "
                      "room for %2. In the settings of the chat you can let the oldest messages go.")
                .arg(QLocale().toString(static_cast<qulonglong>(with.count(0))),
                     QLocale().toString(static_cast<qulonglong>(with.count(1))));
        case ErrorId::DraftUnfit:
            return tr("%1 cannot predict for this model: it needs the same vocabulary.").arg(with.text(0));
        case ErrorId::HostDied:
            return hostDied(with.text(0));
        case ErrorId::HostMissing:
            return tr("A part of Inglenook is missing. Please install it again.");
        case ErrorId::BridgeMissing:
            return tr("The bridge to other computers is not running. Start it, and try again.");
        case ErrorId::BridgeLost:
            return tr("The bridge to other computers ended in the middle of this.");
        case ErrorId::BridgeOutdated:
            return tr("The bridge to other computers is of another version of Inglenook. Start it again.");
        case ErrorId::FarUnreachable:
            return tr("%1 cannot be reached.").arg(with.text(0));
        case ErrorId::FarBroke:
            return tr("The connection to %1 broke.").arg(with.text(0));
        case ErrorId::FarCannot:
            return tr("Only a model on this computer can do that.");
        case ErrorId::HostOutdated:
            return tr("Inglenook was updated while it was open. Please close it and open it again.");
        case ErrorId::HistoryDamaged:
            return tr("The history is damaged.");
        case ErrorId::HistoryNewer:
            return tr("The history was written by a newer Inglenook; it can be read but not changed.");
        case ErrorId::HistoryNotWritable:
            return tr("Nothing can be kept: %1 cannot be written.").arg(with.text(0));
        case ErrorId::HistoryNeedsRoom:
            return tr("The history needs %1 of room on its disk; %2 are free.")
                .arg(with.size(1), with.size(2));
        case ErrorId::HistoryUnavailable:
            return tr("The history cannot be read or written now.");
        case ErrorId::ModelNeedsRoom:
            return tr("The smaller model needs %1 of room on its disk; %2 are free.")
                .arg(with.size(1), with.size(2));
        case ErrorId::DiskFull:
            return tr("The disk is full, so nothing more can be kept.");
        case ErrorId::GrammarRefused:
            return tr("The form that was asked for the answer cannot be used: %1.").arg(with.text(0));
        case ErrorId::GrammarTooWide:
            return tr("The form that was asked for the answer leaves too many ways to go on.");
        case ErrorId::PictureNeeded:
            return tr("A picture of this conversation is missing, so the model cannot see it.");
        case ErrorId::CannotSee:
            return tr("%1 cannot see pictures: it has no vision file beside it.").arg(with.fileName(0));
        case ErrorId::VisionFileUnfit:
            return tr("%1 is the vision file of another model.").arg(with.fileName(0));
        case ErrorId::PictureDamaged:
            return tr("This picture is damaged and cannot be read.");
        case ErrorId::PictureTooManyPixels:
            return tr("This picture has too many pixels: 100 million can be read.");
        case ErrorId::PictureTooLarge:
            return tr("This file is too large to be read as a picture: 64 MB can be read.");
        case ErrorId::PictureTooNarrow:
            return tr("This picture is too long and narrow for the model.");
        case ErrorId::PictureHeic:
            return tr("This is a picture in the format HEIC, which cannot be read. Save it as JPEG or PNG.");
        case ErrorId::PictureAvif:
            return tr("This is a picture in the format AVIF, which cannot be read. Save it as JPEG or PNG.");
        case ErrorId::PictureUnknown:
            return tr("This is no picture of a kind that can be read: those are PNG, JPEG and WebP.");
        case ErrorId::PictureReaderFailed:
            return tr("Reading this picture failed: it is damaged, or larger than the memory for it.");
        case ErrorId::Cancelled:
            return tr("It was cancelled.");
    }
    return {};
}

}  // namespace

QString errorSentence(const Error& error) {
    const auto id = errorIdOf(error);
    return id ? ErrorSentences::of(*id, SentenceArguments(error)) : toQString(error.message);
}

QString errorDetails(const Error& error) {
    return errorIdOf(error) ? toQString(error.message) : QString();
}

}  // namespace ingle::desktop
