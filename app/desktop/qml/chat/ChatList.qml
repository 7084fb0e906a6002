// The messages of a conversation: their blocks, how they stand, and what can be done with them. The view follows what
// is being written until the person scrolls up.
import QtQuick
import QtQuick.Templates as T
import Inglenook

BlockList {
    id: list

    required property ChatController chat
    /// Of a question that is being changed.
    required property DraftMeasure editMeasure
    required property Actions actions
    required property DesktopPortal portal
    readonly property bool busy: chat.generation !== ChatController.Idle
    property bool following: true
    property double hoveredMessage: 0
    property real lastContentY: 0
    /// The field to write in that appears next takes the keyboard.
    property bool editorWanted: false

    signal editingDone

    function followEnd() {
        if (following)
            positionViewAtEnd();
    }
    function toEnd() {
        following = true;
        // At once: the rows that are there already are made before others come, and none at the other end.
        followEnd();
        followLater.start();
    }
    function editLast() {
        actions.run("editMessage", rows.lastQuestion());
    }
    /// Where Tab goes must be seen.
    function showFocus(item: Item) {
        if (!item || !(item instanceof T.AbstractButton) || !item.visualFocus)
            return;
        let ancestor = item.parent;
        while (ancestor && ancestor !== contentItem)
            ancestor = ancestor.parent;
        if (!ancestor)
            return;
        const top = item.mapToItem(contentItem, 0, 0).y;
        if (top < contentY || top + item.height > contentY + height)
            scrollTo(top - height / 2);
    }

    rows: chat.messages
    cacheBuffer: 600
    reuseItems: true
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Messages")
    T.ScrollBar.vertical: ScrollThumb {
        id: scrollBar
    }
    header: Item {
        height: Theme.xl
    }
    footer: Item {
        height: Theme.l
    }
    onScrolledByHand: following = contentY >= originY + contentHeight - height - 1
    onContentHeightChanged: followLater.start()
    onHeightChanged: followLater.start()
    onContentYChanged: {
        // Any step up by hand lets go of the end; reaching it by hand takes hold again.
        if (moving || scrollBar.pressed)
            following = contentY >= lastContentY && atYEnd;
        lastContentY = contentY;
    }

    // Once per event loop, after the list has laid out what changed.
    Timer {
        id: followLater
        interval: 0
        onTriggered: list.followEnd()
    }
    HoverHandler {
        id: hover
        onPointChanged: list.hoveredMessage = list.rows.messageAt(list.indexAt(list.width / 2, point.position.y + list.contentY))
        onHoveredChanged: if (!hovered) list.hoveredMessage = 0
    }
    Connections {
        target: list.Window.window
        function onActiveFocusItemChanged() {
            list.showFocus(list.Window.activeFocusItem);
        }
    }
    Connections {
        target: list.rows
        function onRowsInserted() {
            // The first ones may not fill the view; where the others stand is seen before they are painted.
            if (list.contentHeight < list.height)
                followLater.start();
        }
        function onEditedChanged() {
            if (list.rows.edited === 0) {
                list.editingDone();
                return;
            }
            list.editorWanted = true;
            list.following = false;
            list.positionViewAtIndex(list.rows.firstRow(list.rows.edited), ListView.Contain);
        }
    }
    Connections {
        target: list.chat
        function onConversationChanged() {
            list.toEnd();
        }
        function onFound(message: double, words: string) {
            const row = list.selection.find(message, words);
            list.forceLayout();  // a thought may have been opened
            list.positionViewAtIndex(row, ListView.Center);
            // Of a long block the middle is seen, and not yet the words.
            if (!list.selection.empty)
                list.showCaret();
            list.following = false;
            followLater.stop();
        }
        function onSent() {
            list.toEnd();
        }
    }
}
