// Text of one block, drawn from its document. What is selected in it is the list's business; links show where they
// lead.
import QtQuick
import Inglenook

TextEdit {
    id: edit

    property alias block: document.block
    property alias document: document
    /// x to y, as TextSelection::inRow().
    property point selected
    /// Text is being added at its end.
    property bool growing: false
    property real lineHeight: Theme.lineHeight

    function showSelected() {
        if (selected.x <= 0 && selected.y >= document.plain.length && document.plain.length > 0)
            selectAll(); // in a table from right to left it neither begins nor ends where the document does
        else if (selected.x < selected.y)
            select(document.beginOf(selected.x), document.positionOf(selected.y));
        else
            deselect();
    }

    // Its own text stays empty; the document is filled from the block, with all that rich text may have.
    textFormat: TextEdit.PlainText
    readOnly: true
    selectByMouse: false
    selectByKeyboard: false
    persistentSelection: true
    activeFocusOnPress: false
    wrapMode: TextEdit.Wrap
    color: Theme.text
    // A text stands as its own letters want it, whatever stands around it.
    LayoutMirroring.enabled: false
    selectionColor: Theme.selection
    selectedTextColor: Theme.text
    font.pixelSize: Theme.textSize
    // Qt offers line by line reading for this role only.
    Accessible.role: Accessible.EditableText
    Accessible.readOnly: true
    Accessible.name: document.plain
    onSelectedChanged: showSelected()

    BlockDocument {
        id: document
        target: edit.textDocument
        font: edit.font
        fixedFamily: Theme.fixedFontFamily
        codeSize: Theme.codeSize
        lineHeight: edit.lineHeight
        linkColor: Theme.accent
        codeSurface: Theme.surface
        onShown: {
            if (edit.selected.x < edit.selected.y)
                edit.showSelected();
            const shownCaret = caret.item as Caret;
            if (shownCaret)
                shownCaret.place();
        }
    }
    HoverHandler {
        cursorShape: edit.hoveredLink.length > 0 && document.opens(edit.hoveredLink)
            ? Qt.PointingHandCursor : Qt.IBeamCursor
    }
    Loader {
        active: edit.hoveredLink.length > 0
        sourceComponent: Hint {
            parent: edit
            text: edit.hoveredLink
            visible: true
            delay: 0
        }
    }
    Loader {
        active: document.draws
        anchors.fill: parent
        sourceComponent: FormulaLayer {
            document: edit.document
            color: edit.color
        }
    }
    Loader {
        id: caret
        active: edit.growing
        sourceComponent: Caret {
            text: edit
        }
    }
}
