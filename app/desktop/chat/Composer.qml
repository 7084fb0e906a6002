// Where the person writes. Enter sends, Shift+Enter starts a line; Enter while an input method composes is its own.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Item {
    id: composer

    required property ChatController chat
    required property DraftMeasure measure
    required property Actions actions
    required property Prompts prompts
    readonly property int maximumLines: 8

    /// The person wants to read on; `pages` is -1 or 1.
    signal scrollRequested(int pages)
    /// Up in the empty field: the person wants to change what was sent last.
    signal editLastRequested
    /// The person wants to see an attached picture as a whole.
    signal pictureOpened(int index)

    function takeFocus() {
        area.forceActiveFocus();
    }
    /// In the place of the "/" and what follows it.
    function insert(text: string) {
        area.text = text;
        area.cursorPosition = area.length;
        area.forceActiveFocus();
    }
    function submit() {
        chat.send(area.text);
    }

    implicitHeight: box.y + box.height + Theme.s
    enabled: !chat.readOnly

    Column {
        id: above
        x: Theme.l + Theme.m
        width: parent.width - 2 * x
        spacing: Theme.xs

        Text {
            objectName: "draftProblem"
            width: parent.width
            visible: text.length > 0
            text: composer.measure.problem
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            color: Theme.danger
            font.pixelSize: Theme.smallSize
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        Text {
            objectName: "draftFigures"
            width: parent.width
            visible: text.length > 0
            text: composer.measure.figures
            textFormat: Text.PlainText
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        Row {
            objectName: "waitsToSend"
            width: parent.width
            visible: composer.chat.waitsToSend
            spacing: Theme.s

            Text {
                anchors.verticalCenter: parent.verticalCenter
                width: Math.min(implicitWidth, parent.width - stopWaiting.width - Theme.s)
                textFormat: Text.PlainText
                text: qsTr("Your message is sent as soon as the answer is finished.")
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            TextButton {
                id: stopWaiting
                objectName: "stopWaitingToSend"
                text: qsTr("Don't send yet")
                onClicked: composer.chat.stopWaiting()
            }
        }
        Repeater {
            model: composer.chat.attachedTexts
            delegate: AttachedRow {
                onRemoved: composer.chat.detach(modelData.index)
            }
        }
        // Two rows of pictures at most; the others are scrolled to.
        Flickable {
            objectName: "attachedPictures"
            width: parent.width
            height: Math.min(tiles.height, 2.5 * Theme.tileSize)
            visible: tiles.children.length > 1
            contentHeight: tiles.height
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollThumb {}
            onContentHeightChanged: contentY = Math.max(0, contentHeight - height)

            Flow {
                id: tiles
                width: parent.width - Theme.m
                spacing: Theme.s

                Repeater {
                    model: composer.chat.attachedPictures
                    delegate: AttachedPicture {
                        required property var modelData

                        pictures: composer.chat.pictures
                        picture: modelData.picture
                        name: modelData.name
                        onRemoved: composer.chat.detach(modelData.index)
                        onOpened: composer.pictureOpened(modelData.index)
                    }
                }
            }
        }
        Text {
            objectName: "attachingPictures"
            width: parent.width
            visible: composer.chat.attaching > 0
            text: qsTr("Opening %n pictures…", "", composer.chat.attaching)
            textFormat: Text.PlainText
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
    }
    Rectangle {
        id: box
        x: Theme.l
        y: above.implicitHeight > 0 ? above.implicitHeight + Theme.xs : 0
        width: parent.width - 2 * Theme.l
        height: Math.max(Theme.fieldHeight,
                         Math.min(area.implicitHeight, metrics.lineSpacing * composer.maximumLines + 2 * Theme.m))
        radius: Theme.largeRadius
        color: Theme.surface
        border.width: 1
        border.color: area.activeFocus ? Theme.softAccent : Theme.surface

        FontMetrics {
            id: metrics
            font: area.font
        }

        IconButton {
            id: attach
            objectName: "attachButton"
            anchors.left: parent.left
            anchors.bottom: parent.bottom
            anchors.margins: (Theme.fieldHeight - height) / 2
            iconName: "attach"
            hint: composer.actions.hint("attach")
            enabled: composer.actions.revision >= 0 && composer.actions.can("attach")
            onClicked: composer.actions.run("attach")
        }
        Flickable {
            id: flick
            anchors.fill: parent
            anchors.leftMargin: attach.width + Theme.xs
            anchors.rightMargin: Theme.controlSize + Theme.m
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollThumb {}

            T.TextArea.flickable: T.TextArea {
                id: area
                objectName: "composerInput"
                leftPadding: Theme.s
                rightPadding: Theme.s
                topPadding: Math.max(Theme.m, (Theme.fieldHeight - metrics.lineSpacing) / 2)
                bottomPadding: topPadding
                implicitHeight: contentHeight + topPadding + bottomPadding
                wrapMode: TextEdit.Wrap
                textFormat: TextEdit.PlainText
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text
                font.pixelSize: Theme.textSize
                selectByMouse: true
                focus: true
                inputMethodHints: Theme.inputHints
                Accessible.name: qsTr("Message")

                onTextChanged: composer.chat.draft = text
                // Tab moves on: a field that keeps the keyboard is a trap.
                Keys.onTabPressed: promptMenu.visible ? promptMenu.choose()
                    : nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
                Keys.onBacktabPressed: nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
                Keys.onPressed: event => {
                    if (promptMenu.visible && !inputMethodComposing && promptMenu.take(event)) {
                        event.accepted = true;
                        return;
                    }
                    if (event.key === Qt.Key_PageUp || event.key === Qt.Key_PageDown) {
                        event.accepted = true;
                        composer.scrollRequested(event.key === Qt.Key_PageUp ? -1 : 1);
                        return;
                    }
                    if (event.key === Qt.Key_Home && (event.modifiers & Qt.ControlModifier) && length === 0) {
                        event.accepted = true;
                        composer.scrollRequested(-1e6);
                        return;
                    }
                    if (event.key === Qt.Key_End && (event.modifiers & Qt.ControlModifier) && length === 0) {
                        event.accepted = true;
                        composer.scrollRequested(1e6);
                        return;
                    }
                    if (event.key === Qt.Key_Up && length === 0 && !inputMethodComposing) {
                        event.accepted = true;
                        composer.editLastRequested();
                        return;
                    }
                    // Where nothing was written the key belongs to the window; a text field keeps it from there.
                    if (event.matches(StandardKey.Undo) && !canUndo) {
                        event.accepted = true;
                        composer.actions.run("undo");
                        return;
                    }
                    if (event.matches(StandardKey.Paste) && composer.chat.attachPasted()) {
                        event.accepted = true;
                        return;
                    }
                    const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
                    if (!enter || (event.modifiers & Qt.ShiftModifier))
                        return;
                    event.accepted = true;
                    if (!inputMethodComposing)
                        composer.submit();
                }

                Text {
                    textFormat: Text.PlainText
                    x: area.leftPadding
                    y: area.topPadding
                    width: area.width - area.leftPadding - area.rightPadding
                    visible: area.length === 0 && area.preeditText.length === 0
                    text: composer.chat.placeholder
                    color: Theme.mutedText
                    font: area.font
                    elide: Text.ElideRight
                }
            }
        }

        T.Button {
            id: action

            readonly property bool stops: composer.chat.generation !== ChatController.Idle
            /// What it does now: "stop" or "send".
            readonly property string does: stops ? "stop" : "send"

            objectName: does + "Button"
            anchors.right: parent.right
            anchors.bottom: parent.bottom
            anchors.margins: (Theme.fieldHeight - height) / 2
            width: Theme.controlSize
            height: Theme.controlSize
            enabled: stops ? composer.chat.mayStop : composer.chat.maySend
            hoverEnabled: true
            Keys.onReturnPressed: clicked()
            Keys.onEnterPressed: clicked()
            focusPolicy: Qt.TabFocus  // a click leaves the keyboard in the text
            Accessible.name: composer.actions.hint(does)
            onClicked: {
                if (stops)
                    composer.chat.stop();
                else
                    composer.submit();
                area.forceActiveFocus();
            }

            contentItem: Item {
                Icon {
                    anchors.centerIn: parent
                    width: Theme.iconSize(20)
                    height: Theme.iconSize(20)
                    name: action.does
                    color: action.enabled ? Theme.accentText : Theme.mutedText
                }
            }
            background: Rectangle {
                radius: width / 2
                color: action.enabled ? Theme.accent : Theme.hover

                FocusRing {
                    shown: action.visualFocus
                    radius: width / 2
                }
            }
            Loader {
                active: action.hovered
                sourceComponent: Hint {
                    parent: action
                    y: -height - Theme.xs
                    text: action.Accessible.name
                    visible: action.hovered
                }
            }
        }
    }

    PromptMenu {
        id: promptMenu
        parent: box
        width: box.width
        prompts: composer.prompts
        typed: area.preeditText.length === 0 ? area.text : ""
        onEditWanted: {
            area.clear();
            composer.actions.run("prompts");
        }
        onChosen: text => {
            const fields = composer.prompts.fieldsOf(text);
            if (fields.length === 0)
                composer.insert(text);
            else
                fieldsCard.openFor(text, fields);
        }
    }
    FieldsCard {
        id: fieldsCard
        prompts: composer.prompts
        onFilled: text => composer.insert(text)
        onClosed: area.forceActiveFocus()
    }
    Connections {
        target: composer.chat
        function onDraftChanged() {
            if (area.text === composer.chat.draft)
                return;
            area.text = composer.chat.draft;
            area.cursorPosition = area.length;
        }
    }
    Component.onCompleted: area.forceActiveFocus()
}
