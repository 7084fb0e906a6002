// A list of blocks whose text is selected across rows, with mouse and keyboard.
import QtQuick
import QtQuick.Templates as T
import Inglenook

RowList {
    id: list

    /// What knows other words for those of an answer; null: there are no answers.
    property AnotherWord words: null
    /// There is a message being written, in which one can quote.
    property bool quotes: false

    /// The person scrolled.
    signal scrolledByHand
    /// The person wants to write about these words; not in every list.
    signal quoteRequested(string text)
    /// Other words are wanted for the one in the row, to be shown at x, y.
    signal otherWordsWanted(real x, real y, int row, int offset)

    function scrollTo(y: real) {
        contentY = Math.max(originY, Math.min(originY + contentHeight - height, y));
        scrolledByHand();
    }
    function frameAt(y: real): BlockFrame {
        return itemAt(width / 2, y) as BlockFrame;
    }
    /// Extends the selection to a place of the content, or begins it there.
    function select(x: real, y: real, unit: int, anew: bool) {
        const inside = Math.max(contentY, Math.min(contentY + height - 1, y));
        let row = indexAt(width / 2, inside);
        if (row < 0)
            row = inside < originY + contentHeight / 2 ? 0 : count - 1;
        const frame = itemAtIndex(row) as BlockFrame;
        const offset = frame ? frame.offsetAt(x - frame.x, inside - frame.y) : 0;
        if (anew)
            selection.begin(row, offset, unit);
        else
            selection.extend(row, offset);
    }
    /// Whether something stands there that takes presses itself.
    function isControl(x: real, y: real): bool {
        let item = itemAt(x, y);
        while (item) {
            if (item instanceof T.Control || (item instanceof TextEdit && !item.readOnly))
                return true;
            const at = contentItem.mapToItem(item, x, y);
            item = item.childAt(at.x, at.y);
        }
        return false;
    }
    function linkAt(x: real, y: real): string {
        const frame = frameAt(y);
        return frame ? frame.linkAt(x - frame.x, y - frame.y) : "";
    }
    /// In a form of the selection's; "": as plain text.
    function copySelection(form: string) {
        if (!selection.empty)
            copyRequested(selection.text(form));
    }
    /// Where the end of the selection stands, in the content.
    function caret(): rect {
        const frame = itemAtIndex(selection.endRow()) as BlockFrame;
        if (!frame)
            return Qt.rect(0, contentY, 0, 0);
        const at = frame.caretAt(selection.endOffset());
        return Qt.rect(frame.x + at.x, frame.y + at.y, 1, at.height);
    }
    function showCaret() {
        if (!itemAtIndex(selection.endRow()))
            positionViewAtIndex(selection.endRow(), ListView.Contain);
        const at = caret();
        if (at.y < contentY + Theme.l)
            scrollTo(at.y - Theme.l);
        else if (at.y + at.height > contentY + height - Theme.l)
            scrollTo(at.y + at.height - height + Theme.l);
    }
    /// Keyboard: the end of the selection goes a line up or down.
    function selectLine(step: int) {
        const row = selection.endRow();
        const offset = selection.endOffset();
        const from = caret();
        for (let distance = from.height; distance < 12 * Theme.xxl; distance += Theme.xs) {
            const y = step < 0 ? from.y - distance + from.height / 2 : from.y + distance + from.height / 2;
            if (y < originY || y > originY + contentHeight)
                return;
            if (y < contentY || y > contentY + height)
                scrollTo(step < 0 ? y - Theme.l : y - height + Theme.l);
            select(from.x, y, TextSelection.Character, false);
            if (selection.endRow() !== row || selection.endOffset() !== offset)
                return showCaret();
        }
    }
    /// Something to begin with, where nothing was selected yet.
    function beginIfNone() {
        if (selection.endRow() < 0)
            select(columnX, contentY + 1, TextSelection.Character, true);
    }

    delegate: BlockChooser {}
    activeFocusOnTab: true

    Keys.onPressed: event => {
        const extending = event.modifiers & Qt.ShiftModifier;
        const words = event.modifiers & Qt.ControlModifier;
        event.accepted = true;
        if (event.matches(StandardKey.Copy)) {
            copySelection("");
        } else if (event.matches(StandardKey.SelectAll)) {
            selection.selectAll();
        } else if (event.key === Qt.Key_Menu || (event.key === Qt.Key_F10 && extending)) {
            const at = caret();
            const row = selection.endRow();
            menu.openAt(at.x, at.y + at.height - contentY, "", row, selection.inRow(row).x);
        } else if (event.key === Qt.Key_Escape && !selection.empty) {
            selection.clear();
        } else if (extending && (event.key === Qt.Key_Left || event.key === Qt.Key_Right)) {
            beginIfNone();
            selection.move(words ? TextSelection.Word : TextSelection.Character, event.key === Qt.Key_Right ? 1 : -1);
            showCaret();
        } else if (extending && (event.key === Qt.Key_Home || event.key === Qt.Key_End)) {
            beginIfNone();
            if (words)
                selection.extend(event.key === Qt.Key_Home ? 0 : count - 1, event.key === Qt.Key_Home ? 0 : 1 << 30);
            else
                selection.move(TextSelection.Block, event.key === Qt.Key_End ? 1 : -1);
            showCaret();
        } else if (extending && (event.key === Qt.Key_Up || event.key === Qt.Key_Down)) {
            beginIfNone();
            selectLine(event.key === Qt.Key_Down ? 1 : -1);
        } else if (event.key === Qt.Key_Up || event.key === Qt.Key_Down) {
            scrollTo(contentY + (event.key === Qt.Key_Down ? Theme.xxl : -Theme.xxl));
        } else if (event.key === Qt.Key_PageUp || event.key === Qt.Key_PageDown) {
            scrollTo(contentY + (event.key === Qt.Key_PageDown ? 1 : -1) * (height - Theme.xxl));
        } else if (event.key === Qt.Key_Home) {
            positionViewAtBeginning();
            scrolledByHand();
        } else if (event.key === Qt.Key_End) {
            positionViewAtEnd();
            scrolledByHand();
        } else {
            event.accepted = false;
        }
    }

    FocusRing {
        parent: list
        // Not where a button in it has the keyboard.
        shown: list.Window.activeFocusItem === list && list.selection.empty
    }

    // Above the rows: what no control takes is for the text, which a TextEdit would keep to itself.
    MouseArea {
        id: mouse

        property int clicks: 0
        property double pressedAt: 0
        property point pressed
        property bool dragged: false
        property string link

        parent: list.contentItem
        z: 2  // rows have 1
        y: list.contentY
        width: list.width
        height: list.height
        acceptedButtons: Qt.LeftButton | Qt.RightButton
        preventStealing: true
        onPressed: event => {
            if (event.source !== Qt.MouseEventNotSynthesized) {
                event.accepted = false;  // a finger scrolls
                return;
            }
            const y = event.y + list.contentY;
            if (list.isControl(event.x, y)) {
                event.accepted = false;
                return;
            }
            link = list.linkAt(event.x, y);
            if (event.button === Qt.RightButton) {
                const frame = list.frameAt(y);
                menu.openAt(event.x, event.y, link, frame ? frame.index : -1,
                            frame ? frame.offsetAt(event.x - frame.x, y - frame.y) : 0);
                return;
            }
            const now = Date.now();
            const near = Math.abs(event.x - pressed.x) < 6 && Math.abs(event.y - pressed.y) < 6;
            clicks = near && now - pressedAt < Application.styleHints.mouseDoubleClickInterval ? clicks % 3 + 1 : 1;
            pressedAt = now;
            pressed = Qt.point(event.x, event.y);
            dragged = false;
            if (event.modifiers & Qt.ShiftModifier) {
                list.select(event.x, y, TextSelection.Character, false);
                list.forceActiveFocus();
            } else {
                const units = [TextSelection.Character, TextSelection.Word, TextSelection.Block];
                list.select(event.x, y, units[clicks - 1], true);
                if (clicks > 1)
                    list.forceActiveFocus();
            }
        }
        onPositionChanged: event => {
            if (!(event.buttons & Qt.LeftButton))
                return;
            if (!dragged && Math.abs(event.x - pressed.x) + Math.abs(event.y - pressed.y)
                    < Application.styleHints.startDragDistance / 2)
                return;
            if (!dragged)
                list.forceActiveFocus();
            dragged = true;
            list.select(event.x, event.y + list.contentY, TextSelection.Character, false);
        }
        onReleased: event => {
            const y = event.y + list.contentY;
            if (event.button === Qt.LeftButton && !dragged && clicks === 1 && link.length > 0
                    && link === list.linkAt(event.x, y) && list.frameAt(y)?.opens(link))
                list.linkActivated(link);
            dragged = false;
        }
        onCanceled: dragged = false

        Timer {
            readonly property real beyond: mouse.mouseY < 0 ? mouse.mouseY : Math.max(0, mouse.mouseY - mouse.height)

            interval: 30
            repeat: true
            running: mouse.dragged && beyond !== 0
            onTriggered: {
                list.scrollTo(list.contentY + Math.max(-60, Math.min(60, beyond)));
                list.select(mouse.mouseX, mouse.mouseY + list.contentY, TextSelection.Character, false);
            }
        }
    }

    PopupMenu {
        id: menu

        property string link
        property int row: -1
        property int offset: 0
        property point at
        readonly property string table: opened && row >= 0 ? list.rows.tableAsCsv(row) : ""

        function openAt(x: real, y: real, target: string, textRow: int, textOffset: int) {
            link = target;
            row = textRow;
            offset = textOffset;
            at = Qt.point(x, y);
            popup(list, x, y);
        }

        objectName: "textMenu"

        PopupMenuItem {
            objectName: "copyText"
            text: qsTr("Copy")
            iconName: "copy"
            enabled: !list.selection.empty
            onTriggered: list.copySelection("")
        }
        Instantiator {
            model: list.selection.forms
            delegate: PopupMenuItem {
                required property string modelData

                objectName: "copyAs" + modelData
                text: qsTr("Copy as %1").arg(modelData)
                iconName: "copy"
                enabled: !list.selection.empty
                onTriggered: list.copySelection(modelData)
            }
            onObjectAdded: (index, object) => menu.insertItem(index + 1, object as PopupMenuItem)
            onObjectRemoved: (index, object) => menu.removeItem(object as PopupMenuItem)
        }
        PopupMenuItem {
            objectName: "copyTable"
            text: qsTr("Copy the table as CSV")
            iconName: "copy"
            visible: menu.table.length > 0
            height: visible ? implicitHeight : 0
            onTriggered: list.copyRequested(list.rows.tableAsCsv(menu.row))
        }
        PopupMenuItem {
            objectName: "quoteText"
            text: qsTr("Quote in the message")
            iconName: "pencil"
            visible: list.quotes
            enabled: !list.selection.empty
            height: visible ? implicitHeight : 0
            onTriggered: list.quoteRequested(list.selection.text("Markdown"))
        }
        PopupMenuItem {
            objectName: "copyLink"
            text: qsTr("Copy link")
            iconName: "link"
            enabled: menu.link.length > 0
            visible: enabled
            height: visible ? implicitHeight : 0
            onTriggered: list.linkCopyRequested(menu.link)
        }
        PopupMenuItem {
            objectName: "anotherWord"
            text: qsTr("Another word here…")
            iconName: "pencil"
            visible: menu.opened && list.words !== null && list.words.isAnswer(menu.row)
            enabled: visible && list.words.mayLook
            height: visible ? implicitHeight : 0
            onTriggered: list.otherWordsWanted(menu.at.x, menu.at.y, menu.row, menu.offset)
        }
        PopupMenuItem {
            objectName: "selectAll"
            text: qsTr("Select all")
            iconName: "check"
            onTriggered: {
                list.selection.selectAll();
                list.forceActiveFocus();
            }
        }
    }
}
