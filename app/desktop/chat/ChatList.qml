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
    required property FindInChat finder
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

    /// Opens at that button what else can be done with a message.
    function showMenu(message: double, listed: var, at: Item) {
        menu.target = message;
        menu.listed = listed;
        // Above the button where there is no room below it.
        const below = at.mapToItem(null, 0, at.height).y + menu.implicitHeight + Theme.s <= Window.height;
        menu.popup(at, 0, below ? at.height : -menu.implicitHeight);
    }

    /// A row in which something is selected.
    function showSelected(row: int) {
        forceLayout();  // a thought may have been opened
        positionViewAtIndex(row, ListView.Center);
        // Of a long block the middle is seen, and not yet the words.
        if (!selection.empty)
            showCaret();
        following = false;
        followLater.stop();
    }

    rows: chat.messages
    found.text: finder.marked
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
        onPointChanged: list.hoveredMessage =
            list.rows.messageAt(list.indexAt(list.width / 2, point.position.y + list.contentY))
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
            list.showSelected(list.selection.find(message, words, list.finder.landing));
        }
        function onSent() {
            list.toEnd();
        }
    }
    Connections {
        target: list.finder
        function onStepWanted(message: double, words: string, step: int) {
            const row = list.selection.find(message, words, step > 0 ? TextSelection.Next : TextSelection.Previous);
            if (row >= 0)
                list.showSelected(row);
            else
                list.finder.stepMessage(step);
        }
    }
    Connections {
        target: list.selection
        function onChanged() {
            if (list.selection.empty && list.selection.endRow() >= 0)
                list.finder.lookAway();
        }
    }

    ActionMenu {
        id: menu
        objectName: "messageMenu"
        actions: list.actions
    }
}
