// What a list of rows offers its delegates.
import QtQuick
import Inglenook

ListView {
    id: list

    required property ChatRows rows
    /// What knows the colours of code.
    required property CodeColours colours
    /// What draws formulas.
    required property FormulaPictures formulas
    /// What has the pictures of messages; null: they have none.
    property Pictures pictures: null
    readonly property alias selection: textSelection
    /// What is marked because it was searched for.
    readonly property alias found: foundWords
    readonly property real columnWidth: Math.max(1, Math.min(Theme.columnWidth, width - 2 * Theme.l))
    readonly property real columnX: Math.round((width - columnWidth) / 2)

    /// The person wants to see one of these as a whole; lists of hashes, and of what they show.
    signal pictureOpened(var hashes, var names, int index)
    signal linkActivated(string target)
    signal linkCopyRequested(string target)
    signal copyRequested(string text)
    /// As a file; `label`: of the code that it is.
    signal saveRequested(string text, string label)

    model: rows
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    // Rows are no choice: nothing is kept or scrolled to because it is the current one.
    currentIndex: -1
    highlightFollowsCurrentItem: false
    keyNavigationEnabled: false

    TextSelection {
        id: textSelection
        rows: list.rows
    }
    FoundWords {
        id: foundWords
    }
}
