/// Where a model computes and its sequences live: the device that was asked for, or the processor once that
/// device has failed.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "engine/backend/backend.h"
#include "engine/session/devices/backends.h"
#include "engine/session/devices/passed_trials.h"
#include "engine/session/devices/self_check.h"
#include "engine/session/loading/memory_estimate.h"
#include "engine/session/loading/model_shares.h"

namespace ingle::session {

struct OpenedModel;

/// Whether a plan hands over what a head that predicts further tokens reads (backend::Plan::hidden).
enum class HiddenRows : uint8_t { Dropped, Kept };
/// Whether its steps may have the rows of pictures.
enum class PictureSteps : uint8_t { No, Yes };
/// The forward pass of a model, for steps of so many rows.
backend::Plan lowerModel(const OpenedModel& model, const LoadOptions& options, uint32_t maxTokens,
                         uint32_t maxLogitRows, PictureSteps pictures = PictureSteps::No,
                         HiddenRows hidden = HiddenRows::Dropped);

/// A head that predicts further tokens, or what makes the rows that it reads.
backend::Plan lowerHead(const graph::Graph& graph, const LoadOptions& options);

/// Whether there has to be room at once for all that sequences may become, where memory grows.
enum class Growth : uint8_t { Foreseen, AsNeeded };

/// What the sequences of a place need.
struct PlaceNeeds {
    PoolLimits limits;  ///< how far they may grow, where memory can grow
    Growth growth = Growth::Foreseen;
    /// Of a conversation that goes on there: where memory grows as needed, there has to be room for so many
    /// at once, as far as they fit the context.
    uint32_t tokens = 0;
    bool kvMayOverflow = false;  ///< see backend::MemoryOptions
};

/// A backend, and the memory and program of a model on it. Everything that lives here must be gone before it.
class Place {
  public:
    /// Errors: Unsupported (an op), OutOfMemory, Device.
    static Result<std::unique_ptr<Place>> create(std::shared_ptr<backend::Backend> backend,
                                                 const OpenedModel& model, const LoadOptions& options,
                                                 const PlaceNeeds& needs);
    /// The first step, with one token: what a driver can do wrong it mostly does here. Errors: Device,
    /// OutOfMemory.
    Status tryOut();
    /// Finds out whether guesses can be fed: on other hardware than the processor by comparing rows that are
    /// fed together with the same rows alone. `trial` names what that depends on; empty: it is not
    /// remembered. Errors: as tryOut().
    Status tryGuesses(PassedTrials& passed, std::string_view trial);
    /// Whether the last rows of runs may be guesses (backend::SequenceRun::numGuesses): they change no bit of
    /// what others give.
    bool takesGuesses() const { return m_takesGuesses; }

    backend::Backend& backend() { return *m_backend; }
    backend::MemoryPool& memory() { return *m_memory; }
    /// Tokens of a prompt that are fed in one step when nothing else is.
    uint32_t promptTokens() const;
    /// For steps of up to Model::stepTokens(promptTokens()) rows, with logits of up to Model::kStepLogits of
    /// them.
    backend::Program& program() { return *m_program; }
    /// One for a step of so many rows, which may be those of a picture. Errors: as compile().
    Result<backend::Program*> programFor(size_t rows);
    /// Whether its steps may have the rows of pictures.
    bool takesPictures() const;
    /// With the kernels that the backend has now. Errors: as compile().
    Status renewProgram();
    /// Another program over the same memory.
    Result<std::unique_ptr<backend::Program>> compile(uint32_t maxTokens, uint32_t maxLogitRows);

  private:
    Place(const OpenedModel& model, const LoadOptions& options) : m_model(model), m_options(options) {}
    backend::Plan lowerStep() const;
    /// Whether rows fed together give the bits of rows fed alone. Errors: as tryOut().
    Result<bool> areRowsAlike();
    const OpenedModel& m_model;
    const LoadOptions& m_options;
    // The order matters: programs use the pool, and both use the backend.
    std::shared_ptr<backend::Backend> m_backend;
    std::unique_ptr<backend::MemoryPool> m_memory;
    std::unique_ptr<backend::Program> m_program;
    std::unique_ptr<backend::Program> m_longProgram;  ///< for m_longRows; null: none was needed yet
    size_t m_longRows = 0;
    bool m_takesGuesses = false;
};

/// One thread. `ModelInfo::backend`, `device` and `deviceNote` of the model always tell where it computes.
class Placement {
  public:
    /// On the device that `device` makes of `options`; where that fails, and no backend was asked for by
    /// name, on the processor, if the model fits there (LoadOptions::loadAnyway). Where no context was asked
    /// for, a device that has less memory gets a shorter one. A device whose memory is too small for the
    /// model gets the layers that fit, if it has memory of its own or LoadOptions::deviceBytes limits what
    /// it may take. `model` and `options` must outlive this.
    /// Errors: as Place::create(), DeviceFactory and DeviceCheck; OutOfMemory, with the numbers.
    static Result<std::unique_ptr<Placement>> create(OpenedModel& model, const LoadOptions& options,
                                                     DeviceFactory device, DeviceCheck check);

    Place& place() { return *m_place; }
    /// Around work, so that a process that dies of it leaves a mark (see DeviceMarks). Work may begin that
    /// has begun, and end that has not.
    void beginWork();
    void endWork();

    /// Whether the model computes on the processor and stays there.
    bool isSettledOnProcessor() const { return m_state == State::OnProcessor; }
    /// What computes now, and why if it is not what was asked for; and why pictures are encoded elsewhere.
    DeviceStatus status() const;

    /// Moves to the processor when `error` means that the device cannot go on. Returns the place that was
    /// left: what lived there is to be destroyed first, and cannot be trusted. Errors: `error` itself when
    /// there is no reason to move, or nowhere to go.
    Result<std::unique_ptr<Place>> leave(const Error& error);
    /// After a device was left because its memory was full, and all that lived there is gone: the device
    /// again, with fewer layers, and with room for so many tokens of a conversation, so that it does not
    /// soon fill it again. Returns the place on the processor that was left; null where nothing changed.
    std::unique_ptr<Place> returnWithFewerLayers(uint32_t tokens);
    /// Tries a device again that was left: once for each conversation, since a driver may have recovered,
    /// and one that has not costs reading the conversation again. Returns the place on the processor that was
    /// left, or null when nothing changed.
    std::unique_ptr<Place> retry(const std::string& conversation);

  private:
    enum class State {
        OnDevice,
        OnProcessor,  ///< for good
        Left,         ///< on the processor, and the device may be tried again
    };

    Placement(OpenedModel& model, const LoadOptions& options, DeviceFactory device, DeviceCheck check)
        : m_model(model), m_options(options), m_device(std::move(device)), m_check(std::move(check)) {}
    Status choose();
    /// Errors: OutOfMemory, with the numbers.
    Status checkFit(const MemoryEstimate& memory) const;
    /// Errors: as checkFit(), where there is anything to expand.
    Status expandWeights();
    /// Of a model whose weights are all on a device. Errors: as checkFit(), where keys and values lie in the
    /// computer's memory.
    Result<PlaceNeeds> needsOnDevice(const backend::Backend& device) const;
    void shortenContext(backend::Backend& device);
    /// With simple kernels only where the usual ones do not pass; true: some were given up. What passed is
    /// remembered. Errors: of DeviceCheck.
    Result<bool> checkKernels(backend::Backend& backend, const std::string& note) const;
    /// What the kernels of this model on a device depend on.
    std::string trialOf(const backend::Backend& backend, const std::string& note) const;
    /// With all layers on the device. Errors: as Place::create(), DeviceCheck and checkSpeed().
    Result<std::unique_ptr<Place>> createWhole(const ChosenDevice& device);
    /// Whether layers are computed right on a device, and sooner than by the processor if they have to be:
    /// whole ones, and those without experts. Errors: as checkKernels() and checkSpeed().
    Status checkParts(const ChosenDevice& device);
    /// With the first of ModelShares, from `firstShare` on, that the device which is used has room for.
    /// `tokens`: see PlaceNeeds. Errors: as Place::create() and Place::tryOut(); OutOfMemory, where none
    /// fits, or where what the processor computes does not fit the computer's memory.
    Result<std::unique_ptr<Place>> createSplit(uint32_t firstShare, uint32_t tokens);
    /// One try of that.
    Result<std::unique_ptr<Place>> createShared(const ModelShare& share, uint32_t tokens) const;
    /// Null when the processor is what was asked for, or all there is. A driver that hangs ends the process.
    Result<std::unique_ptr<Place>> createOnDevice();
    Result<std::unique_ptr<Place>> createOnProcessor();
    /// Returns the place before.
    std::unique_ptr<Place> moveTo(std::unique_ptr<Place> place, State state, std::string note);

    OpenedModel& m_model;
    const LoadOptions& m_options;
    const DeviceFactory m_device;
    const DeviceCheck m_check;
    std::unique_ptr<Place> m_place;
    std::optional<DeviceMarks> m_marks;  ///< of the device that was made last
    /// The device that was made last, as long as it may be of use.
    struct UsedDevice {
        std::shared_ptr<backend::Backend> backend;
        std::string note;                    ///< ChosenDevice::note
        bool leavesExperts = true;           ///< to the processor, rather than whole layers
        std::optional<uint32_t> share = {};  ///< of ModelShares, the one in use; none: it computes all
        std::string shareNote = {};          ///< of that

        std::string fullNote() const {
            return note.empty() || shareNote.empty() ? note + shareNote : note + ' ' + shareNote;
        }
    };
    std::optional<UsedDevice> m_used;
    DeviceMarks::Use m_work;  ///< under way on the device
    State m_state = State::OnProcessor;
    std::set<std::string> m_retried;  ///< conversations that have tried the device again
};

}  // namespace ingle::session
